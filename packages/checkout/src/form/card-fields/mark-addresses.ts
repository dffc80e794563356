/**
 * Where the brands' marks are, by brand. The build puts their addresses here (`build/brand-marks.ts`); without one no
 * brand has a mark.
 */
import type { CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";

export const markAddresses: Readonly<Partial<Record<CardBrand | CardNetwork, string>>> = {};
