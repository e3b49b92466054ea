import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { authSchema, isCustomAdapter, isImplemented } from "./auth.ts";

/** As the base class of Parse Server's adapters: it accepts everything. */
class Base {
  validateAuthData(): void {}
  validateSetUp(): void {}
  validateLogin(): void {}
  validateUpdate(): void {}
  afterFind(): void {}
}
const refuse = (): never => {
  throw new Error("refused");
};
const STEPS = { validateSetUp: refuse, validateLogin: refuse, validateUpdate: refuse };

describe("isCustomAdapter()", () => {
  it.each<[string, unknown]>([
    ["an object with validateAuthData()", { validateAuthData: refuse }],
    ["an object with all three steps", STEPS],
    ["an object with each of the methods", { ...STEPS, validateAuthData: refuse }],
    ["an instance of a class of its own with each of the methods", new Base()],
    [
      "a class that extends a base class and validates",
      new (class extends Base {
        override validateAuthData(): void {}
      })(),
    ],
    ["an instance of a base class with all three steps", Object.assign(new Base(), STEPS)],
  ])("is true for %s", (_, adapter) => {
    expect(isCustomAdapter(adapter)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a function", refuse],
    ["an object with two of the steps", { validateSetUp: refuse, validateLogin: refuse }],
    ["a class that only extends a base class", new (class extends Base {})()],
    [
      "a class that overrides one step of a base class",
      new (class extends Base {
        override validateLogin(): void {}
      })(),
    ],
    ["an instance of a base class with one step", Object.assign(new Base(), { validateLogin: refuse })],
  ])("is false for %s", (_, adapter) => {
    expect(isCustomAdapter(adapter)).toBe(false);
  });
});

it("isImplemented() is false for what an adapter only inherits from a base class", () => {
  class Steps extends Base {
    override validateSetUp(): void {}
    override validateLogin(): void {}
    override validateUpdate(): void {}
  }
  class Deeper extends Steps {}
  const methods = [
    "validateAuthData",
    "validateSetUp",
    "validateLogin",
    "validateUpdate",
    "afterFind",
  ] as const;
  expect(methods.filter((name) => isImplemented(new Deeper(), name))).toEqual([
    "validateSetUp",
    "validateLogin",
    "validateUpdate",
  ]);
});

describe("the provider of ID tokens", () => {
  const issuer = "https://issuer.example";

  it.each<[string, object]>([
    ["no client", { issuer }],
    ["an empty client", { issuer, clientId: "" }],
    ["an empty list of clients", { issuer, clientId: [] }],
    ["an empty client in a list", { issuer, clientId: ["ours", ""] }],
    ["a client that is no text", { issuer, clientId: { $ne: "" } }],
    ["no issuer", { clientId: "ours" }],
    ["an issuer that is no URL", { issuer: "issuer", clientId: "ours" }],
  ])("is refused with %s, because it could accept every token", (_, settings) => {
    expect(authSchema.safeParse({ company: { type: "oidc", ...settings } }).success).toBe(false);
  });

  it("has the clients whose tokens it accepts", () => {
    const { company } = authSchema.parse({ company: { type: "oidc", issuer, clientId: "ours" } });
    expect(company).toEqual({ type: "oidc", issuer, clientIds: ["ours"] });
  });
});

describe("authSchema", () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-auth-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each<[string, unknown]>([
    ["a custom one", { module: { validateAuthData: refuse }, enabled: false }],
    ["a custom one whose module is missing", { module: join(folder, "missing"), enabled: false }],
    ["one of Parse Server", { clientId: "app", enabled: false }],
    ["OpenID Connect", { type: "oidc", issuer: "https://id.example", clientId: "app", enabled: false }],
  ])("has no provider that is disabled: %s", (_, settings) => {
    expect(authSchema.parse({ google: settings })).toEqual({});
  });

  it.each([".js", ".cjs", ".mjs"])("finds a module without its extension %s", (extension) => {
    writeFileSync(join(folder, `adapter${extension}`), "");
    const { mine } = authSchema.parse({ mine: { module: join(folder, "adapter") } });
    expect(mine).toMatchObject({ module: join(folder, `adapter${extension}`) });
    rmSync(join(folder, `adapter${extension}`));
  });

  it("refuses a module that does not exist, with its path", () => {
    const path = join(folder, "missing");
    expect(() => authSchema.parse({ mine: { module: path } })).toThrow(
      `it names ${path}, which does not exist`,
    );
  });
});
