import { expect, it } from "vitest";
import { deviceNameOf } from "./deviceName.ts";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0",
    "Edge, Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari, iPhone",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36",
    "Chrome, Android",
  ],
  ["Parse Android SDK API Level 34", "Parse, Android"],
  ["okhttp/4.12.0", "okhttp"],
  ["node", "node"],
  ["Mozilla/5.0", undefined],
  ["<script>alert(1)</script>", undefined],
  ["", undefined],
  [undefined, undefined],
])("deviceNameOf() returns for %j: %s", (userAgent, device) => {
  expect(deviceNameOf(userAgent)).toBe(device);
});

it("deviceNameOf() returns a short name for a long header", () => {
  expect(deviceNameOf("x".repeat(100_000))).toHaveLength(31);
});
