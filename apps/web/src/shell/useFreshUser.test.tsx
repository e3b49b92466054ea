import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useFreshUser } from "./useFreshUser.ts";

const state = vi.hoisted(() => ({ isInitialized: true, user: null as unknown }));
vi.mock("@purse/react", () => ({ useMoralis: () => state }));

const fetch = vi.fn(async () => undefined);
const signIn = (id: string) => {
  state.user = { id, fetch };
};
const showWindow = () => document.dispatchEvent(new Event("visibilitychange"));

afterEach(() => {
  cleanup();
  fetch.mockReset();
  fetch.mockResolvedValue(undefined);
  vi.useRealTimers();
  state.isInitialized = true;
  state.user = null;
});

it("useFreshUser() reads the user that the browser remembers once the client has started", () => {
  signIn("ada");
  state.isInitialized = false;
  const { rerender } = renderHook(() => useFreshUser());
  expect(fetch).not.toHaveBeenCalled();
  state.isInitialized = true;
  rerender();
  expect(fetch).toHaveBeenCalledOnce();
  rerender();
  expect(fetch).toHaveBeenCalledOnce();
});

it("useFreshUser() reads the user again when the window is shown after a while, but not at once", () => {
  vi.useFakeTimers();
  signIn("ada");
  renderHook(() => useFreshUser());
  showWindow();
  expect(fetch).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(60_000);
  showWindow();
  expect(fetch).toHaveBeenCalledTimes(2);
});

it("useFreshUser() reads the next user, and tries again after a failure", async () => {
  fetch.mockRejectedValueOnce(new Error("offline"));
  signIn("ada");
  const { rerender } = renderHook(() => useFreshUser());
  await Promise.resolve();
  await Promise.resolve();
  showWindow();
  expect(fetch).toHaveBeenCalledTimes(2);
  signIn("grace");
  rerender();
  expect(fetch).toHaveBeenCalledTimes(3);
});
