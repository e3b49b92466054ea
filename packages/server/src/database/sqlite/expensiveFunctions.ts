import { type JsonValue, jsonEqual, polygonContains } from "@purse/protocol";
import type Database from "better-sqlite3";
import { compileRegex } from "../../core/regex.ts";
import { DETERMINISTIC, memoizeLast } from "./connection.ts";

/**
 * Functions that SQLite lacks and whose cost depends on the request. Only reader threads have them, so that such
 * conditions cannot run on the event loop or in the writer.
 */
export function registerExpensiveFunctions(database: Database.Database, interruptCheck: () => void): void {
  const parseCached = memoizeLast((text) => JSON.parse(text));
  database.function("purse_regex", DETERMINISTIC, (source, flags, value) => {
    interruptCheck();
    return typeof value === "string" && compileRegex(String(source), String(flags))(value) ? 1 : 0;
  });
  database.function("purse_json_equal", DETERMINISTIC, (value, operand) => {
    interruptCheck();
    if (typeof value !== "string" || typeof operand !== "string" || !/^[[{]/.test(value)) return 0;
    const stored: JsonValue = JSON.parse(value);
    return jsonEqual(stored, parseCached(operand)) ? 1 : 0;
  });
  database.function("purse_polygon_holds", DETERMINISTIC, (polygon, latitude, longitude) => {
    interruptCheck();
    if (typeof polygon !== "string" || typeof latitude !== "number" || typeof longitude !== "number")
      return 0;
    return polygonContains(parseCached(polygon), { latitude, longitude }) ? 1 : 0;
  });
}
