import { describe, expect, it } from "vitest";
import { createLogBuffer } from "./logBuffer.ts";
import { createLogger } from "./logger.ts";

const silent = () => createLogger({ level: "error", format: "json", write: () => undefined });

describe("the log buffer", () => {
  it("keeps lines in order, and filters them by level and text", () => {
    const { logger, lines } = createLogBuffer(silent(), "warn");
    logger.info("began", { port: 1 });
    logger.error("broke", { why: "Disk" });
    expect(lines({}).map(({ message }) => message)).toEqual(["began", "broke"]);
    expect(lines({ level: "error" })).toMatchObject([{ level: "error", fields: { why: "Disk" } }]);
    expect(lines({ text: "disk" })).toHaveLength(1);
  });

  it("redacts the setup token of the studio, which would make a reader of the log its owner", () => {
    const { logger, lines } = createLogBuffer(silent(), "info");
    logger.info("set up the studio at http://127.0.0.1:1337/studio#setup=zuba6vdN-zm_Vt within a day");
    expect(lines({})[0]?.message).toBe(
      "set up the studio at http://127.0.0.1:1337/studio#setup=… within a day",
    );
  });
});
