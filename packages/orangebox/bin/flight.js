#!/usr/bin/env node
import "@orangebox/cli/main";
