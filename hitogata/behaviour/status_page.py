"""How a recording goes: a line for the terminal, and a page that says so for each stream."""

import html
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hitogata.behaviour.recorder import Recorder, StreamStatus
from hitogata.errors import HitogataError


def status_line(recorder: Recorder, pipeline: Any = None) -> str:
    """Time, of each stream rate, delay and loss, and of a live pipeline the latencies (median/99th percentile)."""
    parts = [f"{time.monotonic() - recorder.began:6.1f} s"]
    for s in recorder.status.values():
        loss = f" lost {s.lost + s.dropped}" if s.lost + s.dropped else ""
        how = f"{s.rate:.0f} Hz {1e3 * s.delay:.0f} ms{loss}" if s.alive else "-"
        parts.append(f"{s.stream.name} {how}")
    parts += [str(pipeline)] if pipeline is not None else []
    return " | ".join([*parts, *([recorder.disk] if recorder.disk else [])])


def _stages(pipeline: Any) -> list[dict[str, Any]]:
    """Of a live pipeline's stages."""
    status = () if pipeline is None else pipeline.status
    return [
        {"stage": s.name, "done": s.done, "dropped": s.dropped, "failed": s.failed, "said": s.said,
         "p50_ms": round(1e3 * s.p50, 2) if s.done else None, "p99_ms": round(1e3 * s.p99, 2) if s.done else None}
        for s in status
    ]  # fmt: skip


def _row(s: StreamStatus) -> dict[str, Any]:
    return {
        "stream": s.stream.key, "kind": s.stream.kind.name.lower(), "channels": len(s.stream.channels),
        "promised_hz": s.stream.rate, "rate_hz": round(s.rate, 2), "delay_ms": round(1e3 * s.delay, 2),
        "received": s.received, "written": s.written, "lost": s.lost, "dropped": s.dropped, "restarts": s.jumps,
        "state": "sends" if s.alive else "silent",
    }  # fmt: skip


_PAGE = """<!doctype html><meta charset="utf-8"><title>{name}</title>
<style>body{{font:15px system-ui,sans-serif;margin:2em;color:#223}}table{{border-collapse:collapse}}
td,th{{padding:.35em .8em;border-bottom:1px solid #dde;text-align:right}}
td:first-child,th:first-child{{text-align:left}}
.silent{{color:#b00}}#disk{{color:#b00}}</style>
<h1>{name}</h1><p><span id="time"></span> <span id="disk"></span></p>
<table><thead><tr><th>stream<th>state<th>Hz<th>promised
<th>delay ms<th>received<th>written<th>lost<th>let go<th>restarts</tr></thead><tbody id="rows"></tbody></table>
<table id="live" hidden><thead><tr><th>stage<th>p50 ms<th>p99 ms<th>done<th>let go<th>failed</tr></thead>
<tbody id="stages"></tbody></table><ul id="notes"></ul>
<script>
async function look() {{
  try {{
    const s = await (await fetch("status.json")).json();
    document.getElementById("time").textContent = s.seconds.toFixed(1) + " s";
    document.getElementById("disk").textContent = s.disk;
    const body = document.getElementById("rows"); body.textContent = "";
    for (const r of s.streams) {{
      const row = body.insertRow(); if (r.state === "silent") row.className = "silent";
      for (const v of [r.stream, r.state, r.rate_hz, r.promised_hz, r.delay_ms, r.received, r.written, r.lost,
                       r.dropped, r.restarts]) row.insertCell().textContent = v;
    }}
    document.getElementById("live").hidden = !s.stages.length;
    const stages = document.getElementById("stages"); stages.textContent = "";
    for (const g of s.stages) {{
      const row = stages.insertRow();
      for (const v of [g.stage, g.p50_ms, g.p99_ms, g.done, g.dropped, g.failed]) row.insertCell().textContent = v;
    }}
    const notes = document.getElementById("notes"); notes.textContent = "";
    for (const [when, text] of s.notes) {{
      const item = document.createElement("li"); item.textContent = when.toFixed(1) + " s: " + text;
      notes.append(item);
    }}
  }} catch (e) {{ document.getElementById("disk").textContent = "the recorder does not answer"; }}
}}
look(); setInterval(look, 1000);
</script>"""


class StatusPage:
    """A page on its own thread; also `status.json`."""

    def __init__(self, recorder: Recorder, host: str = "127.0.0.1", port: int = 8765, *, pipeline: Any = None) -> None:
        """Serve it.

        Args:
            recorder: whose.
            host: the default answers this computer alone.
            port: 0: any that is free.
            pipeline: a `LivePipeline` whose latencies are shown, too.
        """
        page = _PAGE.format(name=html.escape(recorder.path)).encode()

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Page or numbers."""
                if self.path.split("?")[0] in ("/", "/index.html"):
                    self._send(page, "text/html; charset=utf-8")
                elif self.path.split("?")[0] == "/status.json":
                    rows = [_row(s) for s in list(recorder.status.values())]
                    seconds = time.monotonic() - recorder.began
                    body = {"seconds": seconds, "disk": recorder.disk, "waiting": recorder.waiting, "streams": rows,
                            "stages": _stages(pipeline), "notes": list(recorder.told)[-30:]}  # fmt: skip
                    self._send(json.dumps(body).encode(), "application/json")
                else:
                    self.send_error(404)

            def _send(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        try:
            self._server = ThreadingHTTPServer((host, port), Answer)
        except OSError as error:
            raise HitogataError(f"status page: port {port} of {host}: {error.strerror}; choose another") from error
        self._server.daemon_threads = True
        self.address = f"http://{host}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, name="status page", daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
