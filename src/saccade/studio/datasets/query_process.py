"""Answers one question about one file with DuckDB: `python -m saccade.studio.datasets.query_process`.

Reads a `QueryRequest` from standard input and writes a `QueryAnswer` to standard output. What keeps it harmless:
- DuckDB may open the one file (`allowed_paths`) and nothing else, loads no extension, and its settings are locked;
- exactly one SELECT is taken: COPY could write to the allowed file;
- the system lets the process write to no file at all (RLIMIT_FSIZE), and ends it when it needs too much memory or time.
"""

from __future__ import annotations

import contextlib
import resource
import sys

import duckdb
import msgspec

from saccade.studio.datasets.file_query import QueryAnswer, QueryRequest
from saccade.untrusted import decode_json

MEMORY = 2 * 2**30
DUCKDB_MEMORY = "768MB"
CPU_SECONDS = 20
LONGEST_CELL = 500
LONGEST_LINE = 64 * 2**20
VIEWS = {
    "json": f"read_json($file, ignore_errors = true, maximum_object_size = {LONGEST_LINE}, sample_size = 2000)",
    "parquet": "read_parquet($file)",
    "csv": "read_csv($file, ignore_errors = true)",
}


def limit_process() -> None:
    """Let the system refuse what DuckDB's own settings might let through."""
    limits = ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_CORE, 0))
    for which, most in limits:
        resource.setrlimit(which, (most, most))
    with contextlib.suppress(OSError, ValueError):  # macOS does not know it
        resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, 2 * MEMORY))


def answer(request: QueryRequest) -> QueryAnswer:
    """The rows, or what is wrong with the question."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": DUCKDB_MEMORY,
        "threads": 2,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
    }
    try:
        with duckdb.connect(":memory:", config=config) as base:
            base.execute("SET temp_directory = ''")
            base.execute("SET allowed_paths = [$file]", {"file": request.file})
            base.execute("SET enable_external_access = false")
            base.execute("SET lock_configuration = true")
            view = VIEWS[request.reader].replace("$file", _quoted(request.file))
            base.execute(f"CREATE VIEW data AS SELECT * FROM {view}")
            return _asked(base, request)
    except (duckdb.Error, RuntimeError, MemoryError) as error:
        return QueryAnswer(problem=str(error).replace(request.file, "data")[:1000])


def _asked(base: duckdb.DuckDBPyConnection, request: QueryRequest) -> QueryAnswer:
    if not request.sql.strip():
        rows = base.execute("SELECT column_name, column_type FROM (DESCRIBE data)").fetchall()
        return QueryAnswer(["column", "type"], [[str(cell)[:LONGEST_CELL] for cell in row] for row in rows])
    statements = base.extract_statements(request.sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        return QueryAnswer(problem="ask with exactly one SELECT; the table is called data")
    inner = request.sql.strip().rstrip(";")
    wrapped = (
        f"SELECT left(CAST(COLUMNS(*) AS VARCHAR), {LONGEST_CELL}) FROM (\n{inner}\n) LIMIT {request.most_rows + 1}"
    )
    found = base.execute(wrapped)
    columns = [str(column[0])[:LONGEST_CELL] for column in found.description or ()]
    rows = found.fetchall()
    return QueryAnswer(columns, [list(row) for row in rows[: request.most_rows]], len(rows) > request.most_rows)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    limit_process()
    sys.stdout.buffer.write(msgspec.json.encode(answer(decode_json(sys.stdin.buffer.read(), QueryRequest))))
