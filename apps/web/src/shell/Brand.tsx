import { Link } from "@tanstack/react-router";

export function Brand() {
  return (
    <Link to="/" className="brand">
      <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden="true">
        <path d="M5 14h22l-2 9a4 4 0 0 1-4 3H11a4 4 0 0 1-4-3z" fill="var(--accent)" />
        <path d="M7 14c0-5 4-8 9-8s9 3 9 8" fill="none" stroke="var(--accent)" strokeWidth="2.5" />
        <circle cx="13.6" cy="7" r="2.6" fill="var(--brass)" />
        <circle cx="18.4" cy="7" r="2.6" fill="var(--brass)" stroke="var(--paper)" />
      </svg>
      Purse
    </Link>
  );
}
