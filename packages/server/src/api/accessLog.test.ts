import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { assignRequestId } from "../core/http/requestId.ts";
import { createLogger } from "../core/logger.ts";
import { createAccessLog } from "./accessLog.ts";

/** Logs a request that took 20 ms and one that took 300 ms; returns the lines. */
function logTwo({ isEnabled, slowMs }: { isEnabled: boolean; slowMs: number }): object[] {
  const lines: object[] = [];
  const logger = createLogger({
    level: "info",
    format: "json",
    now: () => 0,
    write: (line) => lines.push(JSON.parse(line)),
  });
  const log = createAccessLog({
    accessLogger: isEnabled ? logger : undefined,
    logger,
    slowMs,
    clientAddressOf: () => "192.0.2.1",
  });
  for (const [path, ms] of [
    ["/server/classes/Note", 20.04],
    ["/server/functions/report", 300],
  ] as const) {
    const message = new IncomingMessage(new Socket());
    message.method = "POST";
    message.headers["x-request-id"] = `id of ${ms}`.replaceAll(" ", "-");
    assignRequestId(message, () => true);
    log(message, path, 200, ms);
  }
  return lines;
}

const FAST = { method: "POST", path: "/server/classes/Note", status: 200, ms: 20 };
const SLOW = { method: "POST", path: "/server/functions/report", status: 200, ms: 300 };

describe("createAccessLog", () => {
  it("logs each request with its address and ID if it is enabled, and slow ones with a warning", () => {
    const ip = "192.0.2.1";
    expect(logTwo({ isEnabled: true, slowMs: 250 })).toMatchObject([
      { level: "info", message: "request", ...FAST, ip, requestId: "id-of-20.04" },
      { level: "info", message: "request", ...SLOW, ip, requestId: "id-of-300" },
      { level: "warn", message: "slow request", ...SLOW, ip, requestId: "id-of-300" },
    ]);
  });

  it("logs only slow requests by default, and none with a limit of 0", () => {
    expect(logTwo({ isEnabled: false, slowMs: 250 })).toMatchObject([{ message: "slow request", ...SLOW }]);
    expect(logTwo({ isEnabled: false, slowMs: 0 })).toEqual([]);
  });
});
