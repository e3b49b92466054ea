import { beforeEach, expect, it, vi } from "vitest";
import { ImportedHashes } from "./importedHashes.ts";
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

vi.mock("@node-rs/bcrypt", async (original) => {
  const bcrypt = await original<typeof import("@node-rs/bcrypt")>();
  return {
    ...bcrypt,
    verify(password: string, hash: string) {
      compared.push(hash);
      return bcrypt.verify(password, hash);
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

/** The hash of "correct horse" that another server has stored. */
const importedHash = async (cost: number) =>
  (await import("@node-rs/bcrypt")).hash("correct horse", { cost });

/** The work of all comparisons: how many hashes of our own, and how many rounds of bcrypt. */
function workOf(hashes: readonly string[]) {
  const costs = hashes.filter((hash) => hash.startsWith("$2")).map((hash) => Number(hash.split("$")[2]));
  return { argon2: hashes.length - costs.length, rounds: costs.reduce((sum, cost) => sum + 2 ** cost, 0) };
}

/** A store that has recorded nothing. */
function emptyStore() {
  const owners = new Map<string, string>();
  return {
    getUniqueOwner: async (scope: string, value: string) => owners.get(`${scope} ${value}`),
    async write(writes: Parameters<ConstructorParameters<typeof ImportedHashes>[0]["write"]>[0]) {
      for (const each of writes)
        if (each.kind === "reserveUnique") owners.set(`${each.scope} ${each.value}`, each.owner);
      return [];
    },
  };
}

async function fail(store: ReturnType<typeof emptyStore>, hash: string | undefined) {
  const passwords = new Passwords();
  compared.splice(0);
  expect(await passwords.verify(hash, "wrong horse", {})).toBe(false);
  await new ImportedHashes(store).completeFailure(hash, "wrong horse", passwords, {});
  return workOf(compared);
}

it("a wrong password takes the same work for nobody, for users with own hashes, and for imported ones of any cost", async () => {
  const store = emptyStore();
  await store.write(await new ImportedHashes(store).writesFor(await importedHash(7)));
  const hashes = [
    undefined,
    await new Passwords().hash("correct horse", {}),
    await importedHash(4),
    await importedHash(5),
    await importedHash(7),
  ];
  for (const hash of hashes) expect(await fail(store, hash)).toEqual({ argon2: 1, rounds: 2 ** 7 });
});

it("a wrong password takes no more work than one hash where no passwords were imported", async () => {
  expect(await fail(emptyStore(), undefined)).toEqual({ argon2: 1, rounds: 0 });
});

it("a wrong password for an imported user makes others take as long where the import has recorded nothing", async () => {
  const store = emptyStore();
  expect(await fail(store, await importedHash(6))).toEqual({ argon2: 1, rounds: 2 ** 6 });
  expect(await fail(store, undefined)).toEqual({ argon2: 1, rounds: 2 ** 6 });
});

it("a right password takes one comparison, whatever its hash", async () => {
  expect(await new Passwords().verify(await importedHash(4), "correct horse", {})).toBe(true);
  expect(workOf(compared)).toEqual({ argon2: 0, rounds: 2 ** 4 });
});
