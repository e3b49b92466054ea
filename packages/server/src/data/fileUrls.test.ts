import { describe, expect, it } from "vitest";
import { FileUrls } from "./fileUrls.ts";

const urls = new FileUrls({
  appId: "my app",
  mountPath: "/server",
  publicUrl: "https://purse.example/server",
  filesUrl: undefined,
});

describe("the URL of a file", () => {
  it("has the public URL, or the one that a request used", () => {
    expect(urls.urlOf("a b.png")).toBe("https://purse.example/server/files/my%20app/a%20b.png");
    expect(urls.urlOf("a.png", { serverUrl: "http://10.0.0.1:1337/server" })).toBe(
      "http://10.0.0.1:1337/server/files/my%20app/a.png",
    );
  });

  it("keeps the folders of a name", () => {
    expect(urls.urlOf("photos/a?.png")).toBe("https://purse.example/server/files/my%20app/photos/a%3F.png");
  });
});

describe("the name in a URL", () => {
  it.each([
    ["https://other.host/server/files/my%20app/a%20b.png", "a b.png"],
    ["http://127.0.0.1:1337/server/files/my%20app/photos/a.png?x=1", "photos/a.png"],
  ])("of %s is %j, whatever the host", (url, name) => {
    expect(urls.nameFromUrl(url)).toBe(name);
  });

  it.each([
    "https://purse.example/server/files/other/a.png",
    "https://purse.example/other/files/my%20app/a.png",
    "https://purse.example/server/files/my%20app/%E0%A4%A",
    "no url",
    "",
  ])("of %j is undefined", (url) => {
    expect(urls.nameFromUrl(url)).toBeUndefined();
  });
});
