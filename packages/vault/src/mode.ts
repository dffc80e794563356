/** Play money with published test cards, or people's money and cards. Nothing of one is found in the other. */
export type Mode = "test" | "live";
