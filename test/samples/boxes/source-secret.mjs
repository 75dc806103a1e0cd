function login(user) { throw new Error("login failed: password=opensesame42 for " + user); }
login("ann");
