"""Parquet through pyarrow: a column a channel after t; texts in the metadata of the schema, units in that of fields."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwright.atomic import replacing
from linkwright.results.content import Content
from linkwright.results.optional import needed

PREFIX = b"linkwright."


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    arrow = needed("pyarrow", "Parquet")
    parquet = needed("pyarrow.parquet", "Parquet")
    fields = [arrow.field("t", arrow.float64(), metadata={"units": "s"})]
    fields += [arrow.field(name, arrow.float64(), metadata={"units": units[name]}) for name in columns]
    metadata = {PREFIX + name.encode(): text.encode() for name, text in texts.items()}
    table = arrow.table([arrow.array(t), *map(arrow.array, columns.values())], schema=arrow.schema(fields, metadata))
    with replacing(path) as temporary:
        parquet.write_table(table, temporary, write_page_checksum=True)


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    parquet = needed("pyarrow.parquet", "Parquet")
    names = parquet.read_schema(path).names
    chosen = [n for n in names if n == "t" or wanted is None or n in wanted]
    table = parquet.ParquetFile(path, page_checksum_verification=True).read(columns=chosen)
    texts = {k[len(PREFIX) :].decode(): v.decode() for k, v in (table.schema.metadata or {}).items() if k.startswith(PREFIX)}
    values = {name: table[name].to_numpy()[::every].copy() for name in chosen}
    units = {f.name: f.metadata[b"units"].decode() for f in table.schema if f.name != "t"}
    return values.pop("t"), values, units, texts
