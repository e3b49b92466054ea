import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ToastProvider } from "../components/Toasts.tsx";
import { SecondFactor } from "./SecondFactor.tsx";

afterEach(cleanup);

it.each([
  [true, "Off – password only"],
  [undefined, "Off – password only"],
  [false, "Off – no code needed at sign-in"],
])("SecondFactor of an account whose password is %s shows %s", (hasPassword, text) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ToastProvider>
        <SecondFactor
          isOn={false}
          hasPassword={hasPassword}
          confirm={async () => []}
          remove={async () => undefined}
        />
      </ToastProvider>
    </QueryClientProvider>,
  );
  expect(screen.getByText(text)).toBeTruthy();
});
