import { ACL } from "@purse/client";
import type { AccessGrant } from "@purse/ui";
import { createTranslator } from "@purse/ui";
import { describe, expect, it } from "vitest";
import { aclOf, canWrite, describeAccess, grantsOf, isSharedWith } from "./recordAccess.ts";

const describeFor = (grants: readonly AccessGrant[] | undefined) =>
  describeAccess(grants, "me", createTranslator("en"));
const reads = (who: string): AccessGrant => ({ who, read: true, write: false });
const both = (who: string): AccessGrant => ({ who, read: true, write: true });

describe("describeAccess()", () => {
  it.each([
    [undefined, "Public read and write"],
    [[], "Operators only"],
    [[both("me")], "Private"],
    [[reads("*"), both("me")], "Public read, private write"],
    [[reads("*"), both("me"), both("role:Editors")], "Public read, write: you, Editors"],
    [[both("me"), both("ann")], "Read and write: you, 1 user"],
    [[both("me"), reads("ann"), reads("bob")], "Read: you, 2 users, private write"],
  ])("describes %j as: %s", (grants, words) => {
    expect(describeFor(grants)).toBe(words);
  });
});

it("aclOf() and grantsOf() convert grants to an ACL and back", () => {
  const grants = [reads("*"), both("me"), both("role:Editors")];
  expect(grantsOf(aclOf(grants))).toEqual(grants);
  expect(grantsOf(new ACL())).toEqual([]);
  expect(grantsOf(null)).toBeUndefined();
});

it("canWrite() returns whether a user can write", () => {
  expect(canWrite(undefined, "me")).toBe(true);
  expect(canWrite([reads("*"), both("ann")], "me")).toBe(false);
  expect(canWrite([both("me")], "me")).toBe(true);
  expect(canWrite([both("*")], undefined)).toBe(true);
});

it.each([
  [undefined, false],
  [[both("me")], false],
  [[reads("*"), both("ann")], false],
  [[reads("me"), both("ann")], true],
  [[both("me"), both("ann")], true],
  [[both("role:Editors")], true],
  [[both("me"), reads("ann")], false],
])("isSharedWith() detects objects that others have shared: %j", (grants, isShared) => {
  expect(isSharedWith(grants, "me")).toBe(isShared);
});
