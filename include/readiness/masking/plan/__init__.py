"""What is masked and how: each column of a catalogue is kept, or gets a look."""
