/** Test mode has published test cards and no real money. Live mode has real cards and money. They share no data. */
export type Mode = "test" | "live";
