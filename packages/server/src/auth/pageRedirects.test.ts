import { describe, expect, it } from "vitest";
import { pageRedirect } from "./pageRedirects.ts";

type Config = Parameters<typeof pageRedirect>[0];

const config = (settings: Partial<Config>): Config => ({
  customPages: {},
  compatibility: "strict",
  publicUrl: () => "https://purse.example/server",
  ...settings,
});

describe("the redirect to a page", () => {
  it("goes to the page of the operator, and keeps its parameters", () => {
    const customPages = { invalidLink: "https://app.example/invalid?lang=de" };
    const reply = pageRedirect(config({ customPages }), "invalidLink", { token: "a b&c", count: 1 });
    expect(reply?.headers?.location).toBe("https://app.example/invalid?lang=de&token=a%20b%26c");
    expect(reply).toMatchObject({ status: 302, headers: { "referrer-policy": "no-referrer" } });
  });

  it("goes to the address of Parse Server's page in its compatibility mode", () => {
    const reply = pageRedirect(config({ compatibility: "parse" }), "choosePassword", {});
    expect(reply?.headers?.location).toBe("https://purse.example/server/apps/choose_password");
  });

  it("does not exist otherwise", () => {
    expect(pageRedirect(config({}), "invalidLink", {})).toBeUndefined();
  });
});
