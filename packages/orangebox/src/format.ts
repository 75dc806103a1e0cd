/** What programs import from `orangebox/format`: reading and writing recordings, in any JavaScript runtime. */
export * from "@orangebox/format";
