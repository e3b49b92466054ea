import type { CSSProperties, ReactNode } from "react";

/** How the badge looks. */
export interface ByMoralisProps {
  variant?: "colour" | "dark" | "light";
  /** In pixels; the height follows. */
  width?: number;
  style?: CSSProperties;
}

const COLOURS = {
  colour: { ground: "#1f6f5c", ink: "#ffffff" },
  dark: { ground: "#16181d", ink: "#ffffff" },
  light: { ground: "#ffffff", ink: "#16181d" },
} as const;

/** A badge that says what the page runs on. */
export function ByMoralis({ variant = "colour", width = 250, style }: ByMoralisProps): ReactNode {
  const { ground, ink } = COLOURS[variant];
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 250 60"
      width={width}
      height={(width * 60) / 250}
      style={style}
      role="img"
      aria-label="Built on Purse"
    >
      <rect x="1" y="1" width="248" height="58" rx="12" fill={ground} stroke={ink} strokeOpacity="0.15" />
      <g fill="none" stroke={ink} strokeWidth="3" strokeLinejoin="round" strokeLinecap="round">
        <path d="M20 24h28a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H20a4 4 0 0 1-4-4V20a4 4 0 0 1 4-4h24" />
        <path d="M44 35h0.1" strokeWidth="5" />
      </g>
      <text
        x="68"
        y="38"
        fill={ink}
        fontFamily="system-ui, sans-serif"
        fontSize="22"
        fontWeight="600"
        textLength="164"
        lengthAdjust="spacingAndGlyphs"
      >
        Built on Purse
      </text>
    </svg>
  );
}
