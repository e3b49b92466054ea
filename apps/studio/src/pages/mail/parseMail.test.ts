import { describe, expect, it } from "vitest";
import { parseMail, splitLinks } from "./parseMail.ts";

const mail = (...lines: string[]) => lines.join("\r\n");

describe("a mail of the outbox", () => {
  it("is read as people read it: folded lines, and letters beyond ASCII", () => {
    const source = mail(
      "To: ada@example.org",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Gr=C3=BC=C3=9Fe: http://a.example/x?=",
      "token=3D1",
    );
    expect(parseMail(source)).toEqual({ text: "Grüße: http://a.example/x?token=1", html: undefined });
  });

  it("has a text and HTML where it carries both", () => {
    const source = mail(
      'Content-Type: multipart/alternative;\r\n boundary="x1"',
      "",
      "--x1",
      "Content-Type: text/plain; charset=utf-8",
      "",
      "Hello",
      "--x1",
      "Content-Type: text/html; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      btoa("<p>Hello</p>"),
      "--x1--",
    );
    const { text, html } = parseMail(source);
    expect([text?.trim(), html]).toEqual(["Hello", "<p>Hello</p>"]);
  });

  it("is nothing to break a page over where it is none", () => {
    expect(parseMail("")).toEqual({ text: "", html: undefined });
  });

  it("has its links apart, and nothing but links of the web", () => {
    expect(splitLinks("see https://a.example/x and javascript:alert(1)")).toEqual([
      { text: "see ", isLink: false },
      { text: "https://a.example/x", isLink: true },
      { text: " and javascript:alert(1)", isLink: false },
    ]);
  });
});
