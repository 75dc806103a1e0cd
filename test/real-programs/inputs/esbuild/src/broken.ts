import { missing } from "./nowhere";
const x = = 1;
