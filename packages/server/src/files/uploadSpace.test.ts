import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { ANONYMOUS, type AuthContext, MASTER } from "../authContext.ts";
import {
  ownerOf,
  sharedOwnerOf,
  UploadSpace,
  type UploadSpaceOptions,
  uploadOwnerOf,
} from "./uploadSpace.ts";

function space(limits: Partial<UploadSpaceOptions> = {}) {
  return new UploadSpace({
    folder: tmpdir(),
    maxPerOwner: 3,
    maxBytesPerOwner: 100,
    maxBytes: 250,
    ...limits,
  });
}

describe("reserve()", () => {
  it("refuses an owner with 429 who has too many uploads under way, and nobody else", async () => {
    const room = space();
    const releases = [
      await room.reserve(ownerOf("a"), 1),
      await room.reserve(ownerOf("a"), 1),
      await room.reserve(ownerOf("a"), 1),
    ];
    await expect(room.reserve(ownerOf("a"), 1)).rejects.toMatchObject({ code: 155, status: 429 });
    await room.reserve(ownerOf("b"), 1);
    releases[0]?.();
    await room.reserve(ownerOf("a"), 1);
  });

  it("refuses an owner with 429 whose uploads are too many bytes together", async () => {
    const room = space();
    await room.reserve(ownerOf("a"), 60);
    await expect(room.reserve(ownerOf("a"), 41)).rejects.toMatchObject({ status: 429 });
    await room.reserve(ownerOf("a"), 40);
  });

  it("takes one upload of an owner however large it is", async () => {
    await space().reserve(ownerOf("a"), 200);
  });

  it("refuses with 503 where the uploads of all clients are too many bytes", async () => {
    const room = space();
    for (const owner of ["a", "b"]) await room.reserve(ownerOf(owner), 100);
    await expect(room.reserve(ownerOf("c"), 51)).rejects.toMatchObject({ code: 130, status: 503 });
    await room.reserve(ownerOf("c"), 50);
  });

  it("refuses with 507 what the disk has no room for, and counts nothing", async () => {
    const room = space({ maxBytes: Number.MAX_SAFE_INTEGER });
    await expect(room.reserve(ownerOf("a"), 2 ** 52)).rejects.toMatchObject({ code: 130, status: 507 });
    expect(room.used).toEqual({ uploads: 0, bytes: 0, owners: 0 });
  });

  it("remembers nothing of owners who have released all, however often they release", async () => {
    const room = space();
    for (let i = 0; i < 1_000; i++) {
      const release = await room.reserve(ownerOf(`owner ${i}`), 10);
      release();
      release();
    }
    expect(room.used).toEqual({ uploads: 0, bytes: 0, owners: 0 });
  });

  it("takes several times as many of an address whose users are not known yet", async () => {
    const room = space({ maxBytes: 1_000 });
    for (let i = 0; i < 12; i++) await room.reserve(sharedOwnerOf("1.2.3.4"), 1);
    await expect(room.reserve(sharedOwnerOf("1.2.3.4"), 1)).rejects.toMatchObject({ status: 429 });
    await room.reserve(sharedOwnerOf("1.2.3.5"), 1);
  });

  it("does not count the operator for itself", async () => {
    const room = space();
    for (let i = 0; i < 10; i++) await room.reserve(undefined, 20);
    expect(room.used).toEqual({ uploads: 10, bytes: 200, owners: 0 });
  });
});

describe("uploadOwnerOf()", () => {
  it("counts users by who they are, strangers by their address, IPv6 by its network", () => {
    const user: AuthContext = { kind: "user", userId: "u1", roles: [], sessionId: "s", sessionToken: "t" };
    expect(uploadOwnerOf({ auth: user, ip: "1.2.3.4" })).toEqual(ownerOf("user u1"));
    expect(uploadOwnerOf({ auth: ANONYMOUS, ip: "::ffff:1.2.3.4" })).toEqual(ownerOf("address 1.2.3.4"));
    expect(uploadOwnerOf({ auth: ANONYMOUS, ip: "2001:db8::1" })).toEqual(
      uploadOwnerOf({ auth: ANONYMOUS, ip: "2001:db8::ffff" }),
    );
    expect(uploadOwnerOf({ auth: MASTER, ip: "1.2.3.4" })).toBeUndefined();
  });
});
