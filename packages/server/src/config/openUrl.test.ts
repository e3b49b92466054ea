import { expect, it } from "vitest";
import { openUrl } from "./openUrl.ts";

it("openUrl() is the public URL without the path of the Parse API, or the URL of the port", () => {
  const port = "http://127.0.0.1:1337";
  expect(openUrl({ serverUrl: "https://purse.example/server" }, port)).toBe("https://purse.example");
  expect(openUrl({ serverUrl: "https://example.org/purse/server/" }, port)).toBe("https://example.org/purse");
  expect(openUrl({ serverUrl: undefined }, port)).toBe(port);
});
