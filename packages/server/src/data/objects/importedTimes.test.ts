import { describe, expect, it } from "vitest";
import { user } from "../../../test/permissionFactories.ts";
import { MAINTENANCE, MASTER } from "../../core/authContext.ts";
import { assertTimes, timesOf } from "./importedTimes.ts";

const NOW = "2026-11-27T00:00:00.000Z";
const date = (iso: string) => ({ __type: "Date", iso });

describe("the times of a new object", () => {
  it.each([user("ann"), MASTER])("are now for %j, whatever it sends", (auth) => {
    expect(timesOf({ createdAt: date("2020-01-01T00:00:00Z") }, auth, NOW)).toEqual({
      createdAt: NOW,
      updatedAt: NOW,
    });
  });

  it("are those that a request with the maintenance key sends", () => {
    const fields = { createdAt: date("2020-01-01T00:00:00Z"), updatedAt: date("2021-01-01T00:00:00Z") };
    expect(timesOf(fields, MAINTENANCE, NOW)).toEqual({
      createdAt: "2020-01-01T00:00:00.000Z",
      updatedAt: "2021-01-01T00:00:00.000Z",
    });
  });

  it("take the time of the creation for a change that is not sent", () => {
    expect(timesOf({ createdAt: date("2020-01-01T00:00:00Z") }, MAINTENANCE, NOW).updatedAt).toBe(
      "2020-01-01T00:00:00.000Z",
    );
  });

  it("are refused with 142 if it was changed before it was created", () => {
    const fields = { createdAt: date("2021-01-01T00:00:00Z"), updatedAt: date("2020-01-01T00:00:00Z") };
    expect(() => timesOf(fields, MAINTENANCE, NOW)).toThrow(
      expect.objectContaining({ code: 142, message: "updatedAt cannot occur before createdAt" }),
    );
  });
});

describe("assertTimes()", () => {
  it("throws 111 for a time of another type with the maintenance key", () => {
    expect(() => assertTimes({ createdAt: 5 }, MAINTENANCE)).toThrow(
      expect.objectContaining({ code: 111, message: "createdAt must be a Date" }),
    );
  });

  it("ignores the times of others, which do not count", () => {
    expect(() => assertTimes({ createdAt: 5 }, MASTER)).not.toThrow();
  });
});
