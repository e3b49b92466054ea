// Sends one request a fixed number of times over several connections, and prints how many responses were not 2xx.
import { connect } from "node:net";

const { port, request, count, connections } = JSON.parse(process.argv[2]);
const bytes = Buffer.from(request, "latin1");
let sent = 0;
let received = 0;
let failed = 0;

for (let i = 0; i < connections; i++) open();

function open() {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let head = "";
  /** Bytes of the body that have not arrived; -1 while the head is read. */
  let remaining = -1;
  socket.on("connect", send);
  socket.on("error", (error) => {
    console.error(error);
    process.exit(1);
  });
  socket.on("data", (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (remaining < 0) {
        const end = chunk.indexOf("\r\n\r\n", at);
        head += chunk.latin1Slice(at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 4;
        if (!/^HTTP\/1\.1 2/.test(head)) failed += 1;
        remaining = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        head = "";
      }
      const taken = Math.min(remaining, chunk.length - at);
      remaining -= taken;
      at += taken;
      if (remaining > 0) return;
      remaining = -1;
      received += 1;
      if (received === count) {
        console.log(JSON.stringify({ failed }));
        process.exit(0);
      }
      send();
    }
  });

  function send() {
    if (sent === count) return;
    sent += 1;
    socket.write(bytes);
  }
}
