"""How answers change with what a machine is made of: exact derivatives, through events, by parameters and starts."""
