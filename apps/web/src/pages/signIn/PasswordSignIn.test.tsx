// @vitest-environment happy-dom
import { ParseError } from "@purse/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { PasswordSignIn } from "./PasswordSignIn.tsx";

interface Options {
  onError: (error: Error) => void;
}

const login = vi.hoisted(() => vi.fn());
vi.mock("@purse/react", () => ({
  useMoralis: () => ({ login, signup: async () => undefined, isAuthenticating: false }),
  usePasskeys: () => ({ signUp: async () => undefined }),
}));
vi.mock("./PasswordRules.tsx", () => ({ PasswordRules: () => null }));

afterEach(() => {
  cleanup();
  login.mockReset();
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
