import { ParseError } from "@purse/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { PasswordSignIn } from "./PasswordSignIn.tsx";

interface Options {
  onError: (error: Error) => void;
}

const { login, signup } = vi.hoisted(() => ({ login: vi.fn(), signup: vi.fn() }));
vi.mock("@purse/react", () => ({
  useMoralis: () => ({ login, signup, isAuthenticating: false }),
  usePasskeys: () => ({ signUp: async () => undefined }),
}));
vi.mock("./PasswordRules.tsx", () => ({ PasswordRules: () => null }));

afterEach(() => {
  cleanup();
  login.mockReset();
  signup.mockReset();
});

const show = () => render(<PasswordSignIn isCreatingPasskey={false} onCreatingPasskey={() => undefined} />);
const fill = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const entered = (label: string) => Reflect.get(screen.getByLabelText(label), "value");
const submit = () => fireEvent.click(screen.getByRole("button", { name: "Log in" }));

it("PasswordSignIn shows missing values next to the fields, and sends nothing", async () => {
  show();
  submit();
  await screen.findByText("Enter a username.");
  screen.getByText("Enter a password.");
  expect(login).not.toHaveBeenCalled();
});

it("PasswordSignIn explains a wrong password and keeps the input", async () => {
  login.mockImplementation(async (_username: string, _password: string, { onError }: Options) =>
    onError(new ParseError(ParseError.OBJECT_NOT_FOUND, "Invalid username/password.")),
  );
  show();
  fill("Username", "nobody");
  fill("Password", "wrong");
  submit();
  await screen.findByText("Wrong username or password");
  expect(entered("Username")).toBe("nobody");
});

it("PasswordSignIn keeps the input when the user changes to signing up", () => {
  show();
  fill("Username", "grace");
  fireEvent.click(screen.getByRole("button", { name: "Don't have an account? Sign up" }));
  screen.getByRole("heading", { name: "Sign up" });
  expect(entered("Username")).toBe("grace");
});

it("PasswordSignIn shows an invalid email at its input, without a code, until it is changed", async () => {
  signup.mockImplementation(async (...[, , , , { onError }]: [string, string, string, object, Options]) =>
    onError(new ParseError(ParseError.INVALID_EMAIL_ADDRESS, "Email address format is invalid.")),
  );
  show();
  fireEvent.click(screen.getByRole("button", { name: "Don't have an account? Sign up" }));
  fill("Username", "grace");
  fill("Password", "correct horse battery");
  fill("Email (optional)", "grace@example");
  fireEvent.click(screen.getByRole("button", { name: "Create account" }));
  const problem = await screen.findByRole("alert");
  expect(problem.textContent).toBe("Invalid email address. Enter an address such as name@example.com.");
  expect(screen.getByLabelText("Email (optional)").getAttribute("aria-describedby")).toContain(problem.id);
  expect(document.body.textContent).not.toContain("125");
  fill("Email (optional)", "grace@example.com");
  expect(screen.queryByRole("alert")).toBeNull();
});
