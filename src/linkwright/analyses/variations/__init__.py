"""How answers change with what a machine is made of: exact derivatives of motions, through events, by parameters and starts."""
