import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { ANONYMOUS, type AuthContext, MASTER } from "../../core/authContext.ts";
import {
  sharedUploadOwner,
  UploadQuota,
  type UploadQuotaOptions,
  uploadOwnerOf,
  uploadOwnerOfKey,
} from "./uploadQuota.ts";

function createQuota(limits: Partial<UploadQuotaOptions> = {}) {
  return new UploadQuota({
    folder: tmpdir(),
    maxPerOwner: 3,
    maxBytesPerOwner: 100,
    maxBytes: 250,
    ...limits,
  });
}

describe("reserve()", () => {
  it("rejects only an owner with too many uploads with 429", async () => {
    const quota = createQuota();
    const releases = [
      await quota.reserve(uploadOwnerOfKey("a"), 1),
      await quota.reserve(uploadOwnerOfKey("a"), 1),
      await quota.reserve(uploadOwnerOfKey("a"), 1),
    ];
    await expect(quota.reserve(uploadOwnerOfKey("a"), 1)).rejects.toMatchObject({ code: 155, status: 429 });
    await quota.reserve(uploadOwnerOfKey("b"), 1);
    releases[0]?.();
    await quota.reserve(uploadOwnerOfKey("a"), 1);
  });

  it("rejects an owner whose uploads are too large in total with 429", async () => {
    const quota = createQuota();
    await quota.reserve(uploadOwnerOfKey("a"), 60);
    await expect(quota.reserve(uploadOwnerOfKey("a"), 41)).rejects.toMatchObject({ status: 429 });
    await quota.reserve(uploadOwnerOfKey("a"), 40);
  });

  it("accepts a single upload of an owner of any size", async () => {
    await createQuota().reserve(uploadOwnerOfKey("a"), 200);
  });

  it("rejects with 503 if the uploads of all clients are too large in total", async () => {
    const quota = createQuota();
    for (const owner of ["a", "b"]) await quota.reserve(uploadOwnerOfKey(owner), 100);
    await expect(quota.reserve(uploadOwnerOfKey("c"), 51)).rejects.toMatchObject({ code: 130, status: 503 });
    await quota.reserve(uploadOwnerOfKey("c"), 50);
  });

  it("rejects uploads without disk space with 507, and does not count them", async () => {
    const quota = createQuota({ maxBytes: Number.MAX_SAFE_INTEGER });
    await expect(quota.reserve(uploadOwnerOfKey("a"), 2 ** 52)).rejects.toMatchObject({
      code: 130,
      status: 507,
    });
    expect(quota.usage).toEqual({ uploads: 0, bytes: 0, owners: 0 });
  });

  it("removes owners who have released everything, even if they release twice", async () => {
    const quota = createQuota();
    for (let i = 0; i < 1_000; i++) {
      const release = await quota.reserve(uploadOwnerOfKey(`owner ${i}`), 10);
      release();
      release();
    }
    expect(quota.usage).toEqual({ uploads: 0, bytes: 0, owners: 0 });
  });

  it("accepts several times as many uploads of an address without known users", async () => {
    const quota = createQuota({ maxBytes: 1_000 });
    for (let i = 0; i < 12; i++) await quota.reserve(sharedUploadOwner("1.2.3.4"), 1);
    await expect(quota.reserve(sharedUploadOwner("1.2.3.4"), 1)).rejects.toMatchObject({ status: 429 });
    await quota.reserve(sharedUploadOwner("1.2.3.5"), 1);
  });

  it("does not limit requests with the master key", async () => {
    const quota = createQuota();
    for (let i = 0; i < 10; i++) await quota.reserve(undefined, 20);
    expect(quota.usage).toEqual({ uploads: 10, bytes: 200, owners: 0 });
  });
});

describe("uploadOwnerOf()", () => {
  it("counts users by id, anonymous clients by address, and IPv6 by network", () => {
    const user: AuthContext = { kind: "user", userId: "u1", roles: [], sessionId: "s", sessionToken: "t" };
    expect(uploadOwnerOf({ auth: user, ip: "1.2.3.4" })).toEqual(uploadOwnerOfKey("user u1"));
    expect(uploadOwnerOf({ auth: ANONYMOUS, ip: "::ffff:1.2.3.4" })).toEqual(
      uploadOwnerOfKey("address 1.2.3.4"),
    );
    expect(uploadOwnerOf({ auth: ANONYMOUS, ip: "2001:db8::1" })).toEqual(
      uploadOwnerOf({ auth: ANONYMOUS, ip: "2001:db8::ffff" }),
    );
    expect(uploadOwnerOf({ auth: MASTER, ip: "1.2.3.4" })).toBeUndefined();
  });
});

describe("assertFits()", () => {
  const none = { uploads: 0, bytes: 0 };

  it("adds what is stored elsewhere to the uploads of this process", async () => {
    const quota = createQuota();
    const owner = uploadOwnerOfKey("a");
    await quota.reserve(owner, 50);
    const stored = { uploads: 1, bytes: 40 };
    quota.assertFits(owner, 10, { owner: stored, all: stored });
    expect(() => quota.assertFits(owner, 11, { owner: stored, all: stored })).toThrow("Too many uploads");
    const many = { uploads: 2, bytes: 2 };
    expect(() => quota.assertFits(owner, 1, { owner: many, all: many })).toThrow("Too many uploads");
  });

  it("accepts a single upload of an owner whatever its size, and refuses all if too much is stored", () => {
    const quota = createQuota();
    quota.assertFits(uploadOwnerOfKey("a"), 200, { owner: none, all: none });
    const all = { uploads: 5, bytes: 100 };
    expect(() => quota.assertFits(uploadOwnerOfKey("a"), 200, { owner: none, all })).toThrow(
      "no more uploads",
    );
  });
});
