import { expect, it } from "vitest";
import { ownValue } from "./wireValues.ts";

it.each(["toString", "valueOf", "constructor", "__proto__"])(
  "an object has no value of its own by the inherited name %s",
  (name) => {
    expect(ownValue({}, name)).toBeUndefined();
    expect(ownValue(JSON.parse(`{"${name}":1}`), name)).toBe(1);
  },
);
