/*
 * Loaded by a measured server before everything else (`node --import`): says over a socket how long its request loop was
 * held up in one go, in CPU time, and how much it has allocated. Whatever else the machine does makes no difference.
 */
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { getHeapStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

const path = process.env.PURSE_TEST_LOOP_MONITOR;
// Processes and threads that the server starts have loops of their own.
if (path !== undefined && isMainThread && String(process.ppid) === process.env.PURSE_TEST_LOOP_PARENT)
  monitor(path);

function monitor(path) {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const allocated = () => getHeapStatistics().total_allocated_bytes;
  let last = cpuMs();
  let worst = 0;
  let begun = { cpu: last, allocated: allocated() };

  const look = () => {
    const now = cpuMs();
    worst = Math.max(worst, now - last);
    last = now;
  };
  setInterval(look, 2).unref();

  rmSync(path, { force: true });
  createServer((socket) => {
    socket.setEncoding("utf8").on("error", () => undefined);
    socket.on("data", () => {
      look();
      socket.write(
        `${JSON.stringify({ stallMs: worst, cpuMs: last - begun.cpu, allocatedBytes: allocated() - begun.allocated })}\n`,
      );
      worst = 0;
      begun = { cpu: last, allocated: allocated() };
    });
  })
    .listen(path)
    .unref();
}
