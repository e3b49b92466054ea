import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLogger } from "../logger.ts";
import { startOpenTelemetry } from "./openTelemetry.ts";
import { trace } from "./tracing.ts";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
/** Receives traces and never responds. */
const collector = createServer((request) => request.resume());

beforeEach(async () => {
  await new Promise<void>((listening) => collector.listen(0, "127.0.0.1", listening));
  process.env[ENDPOINT] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(() => {
  delete process.env[ENDPOINT];
  collector.close();
  collector.closeAllConnections();
});

it("stops although the collector does not respond", async () => {
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const stop = await startOpenTelemetry(process.env, logger);
  trace("work", () => undefined);
  await expect(stop()).resolves.toBeUndefined();
});
