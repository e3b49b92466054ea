import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { ForgotPassword } from "./ForgotPassword.tsx";

const request = vi.hoisted(() => vi.fn());
vi.mock("@purse/react", () => ({
  useMoralis: () => ({ Moralis: { User: { requestPasswordReset: request } } }),
}));

afterEach(() => {
  cleanup();
  request.mockReset();
});

function send(email: string) {
  fireEvent.change(screen.getByLabelText("Email"), { target: { value: email } });
  fireEvent.click(screen.getByRole("button", { name: "Send reset link" }));
}

it("ForgotPassword requests a link for an email address only, and does not tell whether it is known", async () => {
  render(<ForgotPassword onBack={() => undefined} />);
  send("nobody");
  await screen.findByText("Enter your account's email address.");
  expect(request).not.toHaveBeenCalled();
  send("ann@example.org");
  await screen.findByText("Check your email");
  screen.getByText("If an account with this email exists, we've sent a password reset link.");
  expect(request.mock.calls).toEqual([["ann@example.org"]]);
});

it("ForgotPassword shows that the link was not requested, and keeps the address", async () => {
  request.mockRejectedValue(new Error("The server is busy."));
  render(<ForgotPassword onBack={() => undefined} />);
  send("ann@example.org");
  await screen.findByRole("alert");
  expect(screen.queryByText("Check your email")).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>("Email").value).toBe("ann@example.org");
});
