const x = <b>;
