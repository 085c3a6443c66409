"""Counts the rows of a run's log by the machine that wrote them, without the product, and prints JSON.

Usage: rows_by_agent.py RUN
"""

import json
import pathlib
import sys

import pyarrow.parquet

rows = {}
for part in sorted(pathlib.Path(sys.argv[1]).glob("ops/agent=*/*.parquet")):
    agent = part.parent.name.removeprefix("agent=")
    rows[agent] = rows.get(agent, 0) + pyarrow.parquet.read_metadata(part).num_rows
print(json.dumps(rows))
