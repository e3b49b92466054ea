import { describe, expect, it } from "vitest";
import { DEFAULT_MAILS, type MailTemplate, renderMail, validateMail } from "./mailTemplates.ts";

const VALUES = { appName: "Roastery", email: "ada@example.org", link: "https://a.example/v?token=1&x=2" };

function template(parts: Partial<MailTemplate> = {}): MailTemplate {
  return { ...DEFAULT_MAILS.verification.template, ...parts };
}

describe("custom email templates", () => {
  it("have no problems in the default version", () => {
    expect(validateMail("verification", DEFAULT_MAILS.verification.template)).toEqual({});
    expect(validateMail("passwordReset", DEFAULT_MAILS.passwordReset.template)).toEqual({});
  });

  it("insert values, without replacing placeholders within them", () => {
    const rendered = renderMail(template({ subject: "{{ appName }}: {{email}}" }), {
      ...VALUES,
      appName: "{{link}}",
    });
    expect(rendered.subject).toBe("{{link}}: ada@example.org");
    expect(rendered.text).toContain(VALUES.link);
  });

  it("escape values in HTML, and keep the subject on one line", () => {
    const rendered = renderMail(template({ html: '<a href="{{link}}">{{email}}</a>' }), {
      ...VALUES,
      appName: "Roastery\r\nBcc: eve@example.org",
      email: "<img src=x>",
    });
    expect(rendered.html).toBe('<a href="https://a.example/v?token=1&amp;x=2">&lt;img src=x&gt;</a>');
    expect(rendered.subject).toBe("Please verify your e-mail for Roastery Bcc: eve@example.org");
  });

  it.each([
    ["line breaks", "ada\r\n\r\nYour account is blocked", "ada Your account is blocked"],
    ["other line ends", "ada\u2028b\u2029c\u0085d\u000be", "ada b c d e"],
    ["web addresses", "ada http://evil.example/pay?a=b#c", "ada http evil.example pay a b c"],
    ["HTML", "<a href='//evil.example'>ada</a>", "a href ' evil.example' ada a"],
    ["characters that turn the text around", "ada\u202egnp.exe", "ada gnp.exe"],
    ["letters of other languages", "Зоя O'Neil-李_1@x+y", "Зоя O'Neil-李_1@x+y"],
    ["60 characters", "x".repeat(60), "x".repeat(60)],
    ["a great many characters", "x".repeat(1_000_000), `${"x".repeat(60)}…`],
    ["a great many of two units each", "𝒳".repeat(1_000), `${"𝒳".repeat(60)}…`],
  ])("show the safe part of a name with %s on one line", (_, username, expected) => {
    const { text, subject, html } = renderMail(
      { subject: "{{username}}", text: "{{username}}", html: "{{username}}" },
      { ...VALUES, username },
    );
    expect([subject, text]).toEqual([expected, expected]);
    expect(html).toBe(expected.replaceAll("'", "&#39;"));
  });

  it.each<[string, Partial<MailTemplate>, keyof MailTemplate]>([
    ["a place that the mail has no value for", { text: "{{link}} {{password}}" }, "text"],
    ["a text without the link", { text: "Hello" }, "text"],
    ["HTML without the link", { html: "<p>Hello</p>" }, "html"],
    ["a subject of two lines", { subject: "Hello\nBcc: eve@example.org" }, "subject"],
    ["a subject that shows the link", { subject: "{{link}}" }, "subject"],
    ["an empty subject", { subject: " " }, "subject"],
    ["a text that is too long", { text: `{{link}}${"x".repeat(20_001)}` }, "text"],
  ])("are rejected with %s", (_, parts, part) => {
    expect(validateMail("verification", template(parts))).toEqual({ [part]: expect.any(String) });
  });
});
