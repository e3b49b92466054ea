import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { AppSettings } from "../../settings.ts";
import { PasswordRules } from "./PasswordRules.tsx";

const state = vi.hoisted(() => ({
  rules: { description: null, excludesUsername: false, history: 0 } as AppSettings["passwordRules"],
}));

vi.mock("../../SettingsContext.tsx", () => ({ useSettings: () => ({ passwordRules: state.rules }) }));

afterEach(cleanup);

it("PasswordRules lists what the server demands of new passwords", () => {
  state.rules = { minLength: 8, description: "Use a digit.", excludesUsername: true, history: 3 };
  render(<PasswordRules />);
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "At least 8 characters.",
    "Use a digit.",
    "It must not contain your username.",
    "Recent passwords can't be reused (last 3).",
  ]);
});

it("PasswordRules shows nothing if the server demands nothing", () => {
  state.rules = { description: null, excludesUsername: false, history: 0 };
  const { container } = render(<PasswordRules />);
  expect(container.textContent).toBe("");
});
