import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { type PasswordPolicy, passwordPolicySchema, withMinLength } from "../config/passwords.ts";
import { Passwords } from "./password.ts";
import {
  assertPassword,
  assertPasswordNotExpired,
  passwordAgeStart,
  passwordSecret,
} from "./passwordPolicy.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-27T00:00:00Z");
const passwords = new Passwords();
const PRODUCTION = { environment: "production", compatibility: "strict" };
const DEVELOPMENT = { ...PRODUCTION, environment: "development" };
const policyOf = (settings: object, environment = DEVELOPMENT): PasswordPolicy =>
  withMinLength(passwordPolicySchema.parse(settings), environment);
const check = (password: string, settings: object, known: { username?: string; secret?: JsonObject } = {}) =>
  assertPassword(password, policyOf(settings), known, passwords, {});
/** The secret of a user after several passwords, one after the other. */
async function secretAfter(settings: object, ...list: string[]): Promise<JsonObject> {
  let secret: JsonObject = {};
  for (const password of list)
    secret = {
      ...secret,
      ...(await passwordSecret(password, policyOf(settings), secret, NOW, passwords, {})),
    };
  return secret;
}

describe("the minimum length", () => {
  it.each([
    ["8 in production", {}, PRODUCTION, 8],
    ["as configured in production", { minLength: 12 }, PRODUCTION, 12],
    ["as configured in development", { minLength: 12 }, DEVELOPMENT, 12],
    ["0 in development", {}, DEVELOPMENT, 0],
    ["0 with the compatibility with Parse Server", {}, { ...PRODUCTION, compatibility: "parse" }, 0],
    ["0 in production with a validator", { validatorPattern: /^\d{6}$/ }, PRODUCTION, 0],
  ])("is %s", (_, settings, environment, minLength) => {
    expect(policyOf(settings, environment).minLength).toBe(minLength);
  });
});

describe("a new password", () => {
  it("is refused with 142 if it is too short, counted in characters", async () => {
    const error = { code: 142, message: "Password must have at least 8 characters." };
    await expect(check("1234567", { minLength: 8 })).rejects.toMatchObject(error);
    await expect(check("😀😀😀😀", { minLength: 8 })).rejects.toMatchObject(error);
    await expect(check("12345678", { minLength: 8 })).resolves.toBeUndefined();
  });

  it("is refused with 142 if it does not match the pattern, with the message of the policy", async () => {
    await expect(
      check("short", { validatorPattern: "/.{8}/", validationError: "Too short" }),
    ).rejects.toThrow(expect.objectContaining({ code: 142, message: "Too short" }));
    await expect(check("long enough", { validatorPattern: "/.{8}/" })).resolves.toBeUndefined();
  });

  it("is refused with 142 if it contains the username, where the policy says so", async () => {
    const known = { username: "ann" };
    await expect(check("ann-1234", { doNotAllowUsername: true }, known)).rejects.toThrow(
      "Password cannot contain your username.",
    );
    await expect(check("ann-1234", {}, known)).resolves.toBeUndefined();
  });

  it("is refused with 142 if it is one of the last ones", async () => {
    const settings = { maxPasswordHistory: 2 };
    const secret = await secretAfter(settings, "first", "second", "third");
    for (const password of ["third", "second"])
      await expect(check(password, settings, { secret })).rejects.toThrow(
        "New password should not be the same as last 2 passwords.",
      );
    await expect(check("first", settings, { secret })).resolves.toBeUndefined();
  });

  it("is remembered only as long as the policy needs it", async () => {
    expect(await secretAfter({}, "first", "second")).not.toHaveProperty("passwordHistory");
    const secret = await secretAfter({ maxPasswordHistory: 3 }, "1st", "2nd", "3rd", "4th");
    expect(secret.passwordHistory).toHaveLength(2);
  });
});

describe("the age of a password", () => {
  const policy = policyOf({ maxPasswordAge: 30 });

  it("counts from its change, and a password that is too old is refused with 101", async () => {
    const secret = await secretAfter({ maxPasswordAge: 30 }, "first");
    expect(() => assertPasswordNotExpired(secret, policy, NOW + 30 * DAY_MS)).not.toThrow();
    expect(() => assertPasswordNotExpired(secret, policy, NOW + 30 * DAY_MS + 1)).toThrow(
      expect.objectContaining({
        code: 101,
        message: "Your password has expired. Please reset your password.",
      }),
    );
  });

  it("begins at the next sign-in if the password is older than the policy", async () => {
    const secret = await secretAfter({}, "first");
    expect(() => assertPasswordNotExpired(secret, policy, NOW)).not.toThrow();
    const started = { ...secret, ...passwordAgeStart(secret, policy, NOW) };
    expect(() => assertPasswordNotExpired(started, policy, NOW + 31 * DAY_MS)).toThrow();
    expect(passwordAgeStart(started, policy, NOW + DAY_MS)).toEqual({});
  });
});
