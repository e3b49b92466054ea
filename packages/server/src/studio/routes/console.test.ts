import { describe, expect, it } from "vitest";
import type { Method } from "../../core/http/apiRoute.ts";
import type { StudioRole } from "../../studioApi/operatorRoles.ts";
import { assertMayExecute } from "./console.ts";

describe("assertMayExecute()", () => {
  it.each<[StudioRole, Method, string]>([
    ["readOnly", "GET", "/classes/Note"],
    ["editor", "POST", "/classes/Note"],
    ["editor", "POST", "/functions/greet"],
    ["editor", "DELETE", "/classes/Note/abc"],
    ["editor", "DELETE", "/classes/_User/abc"],
    ["editor", "DELETE", "/hooks/triggers/Note/beforeSave"],
    ["owner", "DELETE", "/schemas/Note"],
    ["owner", "POST", "/batch"],
  ])("allows %s to %s %s", (role, method, path) => {
    expect(() => assertMayExecute(role, method, path)).not.toThrow();
  });

  it.each<[StudioRole, Method, string]>([
    ["readOnly", "POST", "/functions/greet"],
    ["readOnly", "PUT", "/classes/Note/abc"],
    ["readOnly", "DELETE", "/classes/Note/abc"],
    ["editor", "DELETE", "/schemas/Note"],
    ["editor", "DELETE", "/purge/Note"],
    ["editor", "DELETE", "/%73chemas/Note"],
    ["editor", "DELETE", "//schemas/Note"],
    ["editor", "DELETE", "/classes/../schemas/Note"],
    ["editor", "POST", "/batch"],
    ["editor", "POST", "/batch/"],
  ])("rejects %s to %s %s", (role, method, path) => {
    expect(() => assertMayExecute(role, method, path)).toThrow(/role owner|only read/);
  });
});
