// The limit of files: streams bodies onto the disk and off it, and does nothing else. Prints its port.
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const folder = mkdtempSync(join(tmpdir(), "bench-bare-files-"));
let files = 0;
const server = createServer(async (request, response) => {
  try {
    if (request.method === "POST") {
      const name = String(++files);
      // Safe on the disk before it is answered, as a file that was saved should be.
      await pipeline(request, createWriteStream(join(folder, name), { flush: true }));
      response.end(JSON.stringify({ name }));
    } else {
      const path = join(folder, (request.url ?? "").replace(/\D/g, ""));
      response.writeHead(200, { "content-length": statSync(path).size });
      await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), response);
    }
  } catch {
    response.destroy();
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("SIGTERM", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
