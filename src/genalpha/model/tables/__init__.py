"""From parts to tables: places among the coordinates, and the rows that leaves read."""
