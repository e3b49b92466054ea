import { describe, expect, it } from "vitest";
import { PositionBinding } from "./positionBinding.ts";

const KEY = Buffer.from("key");
const ANN = { className: "Note", identity: "user ann" };

describe("the binding of a position", () => {
  const bindings = new PositionBinding(KEY, (seq) => `feed.${seq}`);
  const binding = bindings.of(ANN, 7);

  it.each([7, 8, 1_000])("allows its reader to continue after change %d", (seq) => {
    expect(bindings.allows(binding, ANN, seq)).toBe(true);
  });

  it("is the same on each server with the key", () => {
    expect(new PositionBinding(KEY, (seq) => `feed.${seq}`).of(ANN, 7)).toBe(binding);
  });

  it("does not allow its reader to continue before its subscription began", () => {
    expect(bindings.allows(binding, ANN, 6)).toBe(false);
    const [, code] = binding.split(".");
    expect(bindings.allows(`6.${code}`, ANN, 6)).toBe(false);
  });

  it.each([
    ["another user", { ...ANN, identity: "user bob" }],
    ["another class", { ...ANN, className: "Secret" }],
  ])("is of no use for %s", (_, reader) => {
    expect(bindings.allows(binding, reader, 7)).toBe(false);
  });

  it.each([
    ["key", new PositionBinding(Buffer.from("other"), (seq) => `feed.${seq}`)],
    ["log", new PositionBinding(KEY, (seq) => `other.${seq}`)],
  ])("is of no use with another %s", (_, others) => {
    expect(others.allows(binding, ANN, 7)).toBe(false);
  });

  it.each([undefined, "", "7", "7.", "7.short", `${binding}x`, "x.AAAAAAAAAAAAAAAA"])(
    "is not %s, which no server has made",
    (made) => {
      expect(bindings.allows(made, ANN, 7)).toBe(false);
    },
  );
});
