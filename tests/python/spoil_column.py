"""Rewrites the only part of a trace with another value in the last row of one column, and prints null. What
Reelgauge's own writer refuses to hold, another program can write.

Usage: spoil_column.py TRACE COLUMN VALUE
"""

import pathlib
import sys

import pyarrow
import pyarrow.parquet


def main():
    trace, column, value = sys.argv[1:]
    (part,) = (pathlib.Path(trace) / "ops").glob("agent=*/*.parquet")
    table = pyarrow.parquet.ParquetFile(part).read()
    at = table.column_names.index(column)
    values = table.column(at).to_pylist()
    values[-1] = int(value)
    spoiled = table.set_column(at, table.field(at), pyarrow.array(values, table.field(at).type))
    pyarrow.parquet.write_table(spoiled, part, compression="none")
    print("null")


main()
