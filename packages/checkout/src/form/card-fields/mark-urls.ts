/** The URLs of the brands' marks. The build fills them in (`build/brand-marks.ts`); without it, no brand has a mark. */
import type { CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";

export const markUrls: Readonly<Partial<Record<CardBrand | CardNetwork, string>>> = {};
