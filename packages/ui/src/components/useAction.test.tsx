import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ToastProvider } from "./Toasts.tsx";
import { useAction } from "./useAction.ts";

afterEach(cleanup);

it("useAction() is busy until the action has finished", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { result } = renderHook(() => useAction(() => promise));
  expect(result.current.busy).toBe(false);
  act(() => result.current.run());
  expect(result.current.busy).toBe(true);
  await act(async () => resolve());
  expect(result.current).toMatchObject({ busy: false, error: undefined });
});

it("useAction() keeps the error of a failed run until the next one", async () => {
  const { result } = renderHook(() =>
    useAction(async (shouldFail: boolean) => {
      if (shouldFail) throw new Error("refused");
    }),
  );
  await act(async () => result.current.run(true));
  expect(result.current.busy).toBe(false);
  expect(result.current.error).toEqual(new Error("refused"));
  await act(async () => result.current.run(false));
  expect(result.current.error).toBeUndefined();
});

it("useAction() does not keep an error that is shown as a toast", async () => {
  const { result } = renderHook(
    () => useAction(() => Promise.reject(new Error("refused")), { errorsAs: "toast" }),
    { wrapper: ToastProvider },
  );
  await act(async () => result.current.run());
  expect(result.current).toMatchObject({ busy: false, error: undefined });
});
