import { beforeEach, expect, it, vi } from "vitest";
import { Passwords } from "./password.ts";

/** The hashes that passwords were compared with. */
const compared: string[] = [];

vi.mock("@node-rs/argon2", async (original) => {
  const argon2 = await original<typeof import("@node-rs/argon2")>();
  return {
    ...argon2,
    verify(hash: string, password: string) {
      compared.push(hash);
      return argon2.verify(hash, password);
    },
  };
});

beforeEach(() => compared.splice(0));

/** What determines the time of a comparison: algorithm, version, memory, passes and lanes. */
const costOf = (hash: string): string => hash.split("$").slice(0, 4).join("$");

it("a password is compared once and at the same cost for users with a password, without one, and for nobody", async () => {
  const passwords = new Passwords();
  const hash = await passwords.hash("correct horse", { ip: "10.0.0.1" });
  expect(await passwords.verify(hash, "wrong horse", { ip: "10.0.0.1" })).toBe(false);
  expect(await passwords.verify(undefined, "wrong horse", { ip: "10.0.0.1" })).toBe(false);
  expect(compared.map(costOf)).toEqual([costOf(hash), costOf(hash)]);
  expect(costOf(hash)).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+$/);
});
