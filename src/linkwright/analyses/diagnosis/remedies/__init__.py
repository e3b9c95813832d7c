"""Candidates for remedies by the code of a finding; `trial` finds out which of them mend it."""
