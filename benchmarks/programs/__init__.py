"""The same problems in Linkwright and in the programs a user would choose instead: whole runs, to the same error."""
