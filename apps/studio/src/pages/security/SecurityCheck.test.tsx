// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage } from "../../../test/openPage.tsx";
import { SecurityCheck } from "./SecurityCheck.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("SecurityCheck lists what is open with its severity and a fix, and links to the class", async () => {
  await openPage(SecurityCheck, {
    "GET /security": {
      results: [
        {
          id: "a",
          severity: "high",
          title: "Everyone can delete notes",
          advice: "Revoke it.",
          className: "Note",
        },
        { id: "b", severity: "low", title: "No second factor", advice: "Set it up." },
      ],
    },
  });
  const findings = await screen.findByRole("region", { name: "2 findings" });
  const [first, second] = within(findings).getAllByRole("listitem");
  for (const text of ["High", "Everyone can delete notes", "Revoke it."])
    expect(first?.textContent).toContain(text);
  expect(within(findings).getByRole("link", { name: "Open class Note" }).getAttribute("href")).toBe(
    "/classes?class=Note",
  );
  expect(second?.textContent).toContain("Low");
});

it("SecurityCheck says that there are no findings", async () => {
  await openPage(SecurityCheck, { "GET /security": { results: [] } });
  expect(await screen.findByText("No findings")).toBeTruthy();
});
