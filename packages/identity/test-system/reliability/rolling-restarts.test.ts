import { rollingRestartsContract } from "./rolling-restarts-contract.js";

rollingRestartsContract(3, 300);
