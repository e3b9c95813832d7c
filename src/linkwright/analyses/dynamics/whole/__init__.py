"""The equations of motion of a machine that is traced and compiled as a whole, and the charts for their integration."""
