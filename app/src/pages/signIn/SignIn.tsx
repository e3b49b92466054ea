import { useMoralis } from "@purse/react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { WaysIn } from "./WaysIn.tsx";

export function SignIn() {
  usePageTitle("Sign in");
  const { t } = useTexts();
  const { isAuthenticated } = useMoralis();
  const { next, by } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  useEffect(() => {
    // Who has signed in goes where they wanted to, on this server only.
    if (isAuthenticated)
      void navigate({
        href: next?.startsWith("/") && !/^\/[/\\]/.test(next) ? next : "/portfolio",
        replace: true,
      });
  }, [isAuthenticated, navigate, next]);
  return (
    <div className="narrow">
      <div className="page-head">
        <h1>{t("Sign in")}</h1>
      </div>
      <div className="card">
        <WaysIn
          value={by ?? "wallet"}
          onChange={(way) =>
            void navigate({
              to: "/sign-in",
              search: { next, by: way === "password" ? way : undefined },
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
    </div>
  );
}
